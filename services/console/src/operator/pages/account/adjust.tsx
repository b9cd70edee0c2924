import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { newIdempotencyKey, type Account, type Adjustment } from '@gateway/client';
import { numberText } from '../../../parts/format.ts';
import { operator } from '../../gateway.ts';
import { DataTable } from '../../parts/data-table.tsx';
import { FormDialog, TextField, useDialog, WholeField } from '../../parts/form-dialog.tsx';
import { readAccountAgain } from './refresh.ts';

/** Corrects a balance: first it shows what that would do, and then does it. */
export function AdjustButton({ account }: { account: Account }) {
  const { isOpen, open, close } = useDialog();
  return (
    <>
      <button type="button" className="button" onClick={open}>
        Adjust
      </button>
      {isOpen && <AdjustForm account={account} onClose={close} />}
    </>
  );
}

interface Fields {
  readonly quota: string;
  readonly note: string;
  readonly video: string;
}

interface AdjustFormProps {
  readonly account: Account;
  readonly onClose: () => void;
}

function AdjustForm({ account, onClose }: AdjustFormProps) {
  const [fields, setFields] = useState<Fields>({ quota: '', note: '', video: '' });
  const [idempotencyKey, setKey] = useState(newIdempotencyKey);
  const requestOf = (isDryRun: boolean) => ({
    quota: Number(fields.quota),
    note: fields.note.trim(),
    ...(fields.video.trim() !== '' && { task_id: fields.video.trim() }),
    dry_run: isDryRun,
  });
  const preview = useMutation({
    mutationFn: () => operator.accounts.adjust(account.id, requestOf(true), { idempotencyKey }),
  });
  const adjust = useMutation({
    mutationFn: () => operator.accounts.adjust(account.id, requestOf(false), { idempotencyKey }),
    onSuccess: onClose,
    onSettled: () => {
      readAccountAgain(account.id);
    },
  });
  const set = (name: keyof Fields, value: string): void => {
    setFields({ ...fields, [name]: value });
    setKey(newIdempotencyKey());
    preview.reset();
    adjust.reset();
  };
  const shown = preview.data;
  return (
    <FormDialog
      title={`Adjust “${account.name}”`}
      action={shown === undefined ? 'Preview' : adjustWords(shown.quota)}
      isPending={preview.isPending || adjust.isPending}
      error={preview.error ?? adjust.error}
      onSubmit={shown === undefined ? preview.mutate : adjust.mutate}
      onClose={onClose}
    >
      <AdjustFields fields={fields} onChange={set} />
      {shown !== undefined && <Preview adjustment={shown} />}
    </FormDialog>
  );
}

interface AdjustFieldsProps {
  readonly fields: Fields;
  readonly onChange: (name: keyof Fields, value: string) => void;
}

function AdjustFields({ fields, onChange }: AdjustFieldsProps) {
  return (
    <>
      <WholeField
        label="Quota"
        note="Above zero gives, below zero takes. What is held cannot be taken."
        min={-999_999_999_999_999}
        isRequired
        value={fields.quota}
        onChange={(value) => {
          onChange('quota', value);
        }}
      />
      <TextField
        label="Reason"
        note="Stands in the ledger, for operators only."
        isRequired
        maxLength={500}
        value={fields.note}
        onChange={(value) => {
          onChange('note', value);
        }}
      />
      <TextField
        label="Video that it corrects, if any"
        placeholder="video_…"
        value={fields.video}
        onChange={(value) => {
          onChange('video', value);
        }}
      />
    </>
  );
}

const adjustWords = (quota: number): string =>
  quota > 0 ? `Give ${numberText(quota)} quota` : `Take ${numberText(-quota)} quota`;

function Preview({ adjustment: { before, after } }: { adjustment: Adjustment }) {
  const rows = [
    ['Available', before.available_quota, after.available_quota],
    ['Held', before.held_quota, after.held_quota],
    ['Debt', before.debt_quota, after.debt_quota],
  ] as const;
  return (
    <div className="card" role="status">
      <DataTable caption="Balance before and after" columns={['Quota', '#Now', '#Then']}>
        {rows.map(([name, now, then]) => (
          <tr key={name}>
            <td>{name}</td>
            <td className="number">{numberText(now)}</td>
            <td className="number">{numberText(then)}</td>
          </tr>
        ))}
      </DataTable>
    </div>
  );
}
