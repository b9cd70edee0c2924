import { useMutation } from '@tanstack/react-query';
import { Link } from 'wouter';
import type { Asset } from '@gateway/client';
import { gateway } from '../../gateway/client.ts';
import { dropRow } from '../../gateway/list-query.ts';
import { ConfirmButton } from '../../parts/confirm-button.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { FailureNote } from '../../parts/failure-note.tsx';
import { numberText } from '../../parts/format.ts';
import { ListCard } from '../../parts/list-card.tsx';
import { Empty, Page } from '../../parts/page.tsx';
import { Ago } from '../../parts/time.tsx';
import { useList } from '../../parts/use-list.ts';

/** Pictures, clips and sounds that videos are made from. */
export function AssetsPage() {
  const list = useList({ queryKey: ['assets'], open: (options) => gateway.assets.list(options) });
  const remove = useMutation({
    mutationFn: (id: string) => gateway.assets.delete(id),
    onSuccess: ({ id }) => {
      dropRow(['assets'], id);
    },
  });
  return (
    <Page title="Assets" intro="Upload once, use in any number of videos.">
      {remove.error !== null && <FailureNote error={remove.error} />}
      <ListCard
        list={list}
        caption="Assets, newest first"
        columns={['Name', 'ID', 'Kind', '#Dimensions', '#Size', '#Added', '#']}
        row={(asset) => <Row key={asset.id} asset={asset} onDelete={remove.mutate} />}
        empty={
          <Empty title="No assets yet">
            <p className="muted">
              Drop an image into the playground, or upload one through the API and pass its ID in{' '}
              <code>references</code>.
            </p>
            <pre className="code">{`curl -sS ${window.location.origin}/v1/assets?name=boat.png \\
  -H "authorization: Bearer $KEY" -H 'content-type: image/png' --data-binary @boat.png`}</pre>
          </Empty>
        }
      />
    </Page>
  );
}

function Row({ asset, onDelete }: { asset: Asset; onDelete: (id: string) => void }) {
  const { id, name, kind, width, height, duration_seconds: seconds } = asset;
  const dimensions = [
    ...(width !== null && height !== null ? [`${width} × ${height}`] : []),
    ...(seconds === undefined ? [] : [`${seconds} s`]),
  ];
  return (
    <tr>
      <td>{name ?? <span className="muted">Unnamed</span>}</td>
      <td>
        <span className="row">
          <code>{id}</code>
          <CopyButton text={id} what="ID" />
        </span>
      </td>
      <td>{kind}</td>
      <td className="number small">{dimensions.join(', ')}</td>
      <td className="number small">{numberText(Math.ceil(asset.size_bytes / 1_000))} kB</td>
      <td className="number small muted">
        <Ago at={asset.created_at} />
      </td>
      <td className="number">
        <span className="buttons">
          {kind === 'image' && (
            <Link className="button button-small" href={`/playground?asset=${id}`}>
              Use
            </Link>
          )}
          <ConfirmButton
            label="Delete"
            title="Delete this asset?"
            action="Delete asset"
            onConfirm={() => {
              onDelete(id);
            }}
          >
            <p>
              New requests that reference it will be rejected. Existing videos are not affected.
            </p>
          </ConfirmButton>
        </span>
      </td>
    </tr>
  );
}
