import { useMutation } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { gateway } from '../../gateway/client.ts';
import { FailureNote } from '../../parts/failure-note.tsx';
import { Icon } from '../../parts/icon.tsx';
import type { Picture, Role } from './fields.ts';

const words: Readonly<Record<Role, string>> = {
  reference: 'Reference',
  first_frame: 'First frame',
  last_frame: 'Last frame',
};

export interface PicturesProps {
  readonly pictures: readonly Picture[];
  readonly roles: readonly Role[];
  readonly onChange: (change: (pictures: readonly Picture[]) => readonly Picture[]) => void;
}

/** Pictures that a video is made from: each is uploaded once, as an asset. */
export function Pictures({ pictures, roles, onChange }: PicturesProps) {
  const upload = useMutation({
    mutationFn: async (file: File) => ({ file, asset: await gateway.assets.upload(file) }),
    onSuccess: ({ file, asset }) => {
      const preview = URL.createObjectURL(file);
      const [role = 'reference'] = roles;
      onChange((others) => [...others, { url: asset.id, name: file.name, preview, role }]);
    },
  });
  return (
    <div className="field">
      <span className="label">Images</span>
      <DropZone
        isBusy={upload.isPending}
        onFiles={(files) => {
          for (const file of files) upload.mutate(file);
        }}
      />
      {upload.error !== null && <FailureNote error={upload.error} />}
      <ul className="pictures">
        {pictures.map((picture, index) => (
          <PictureRow
            key={`${picture.url}-${index}`}
            picture={picture}
            roles={roles}
            onRole={(role) => {
              onChange((all) => all.map((one) => (one === picture ? { ...one, role } : one)));
            }}
            onRemove={() => {
              onChange((all) => all.filter((one) => one !== picture));
            }}
          />
        ))}
      </ul>
    </div>
  );
}

interface DropZoneProps {
  readonly isBusy: boolean;
  readonly onFiles: (files: readonly File[]) => void;
}

function DropZone({ isBusy, onFiles }: DropZoneProps) {
  const [isOver, setIsOver] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  return (
    <div
      className={isOver ? 'drop drop-over' : 'drop'}
      onDragOver={(event) => {
        event.preventDefault();
        setIsOver(true);
      }}
      onDragLeave={() => {
        setIsOver(false);
      }}
      onDrop={(event) => {
        event.preventDefault();
        setIsOver(false);
        onFiles([...event.dataTransfer.files]);
      }}
    >
      <div className="row">
        <button
          type="button"
          className="button button-small"
          onClick={() => input.current?.click()}
        >
          <Icon name="plus" /> Choose image
        </button>
        <span>{isBusy ? 'Uploading…' : 'or drop one here'}</span>
      </div>
      <input
        ref={input}
        type="file"
        accept="image/*"
        multiple
        hidden
        onChange={({ target }) => {
          onFiles([...(target.files ?? [])]);
          target.value = '';
        }}
      />
    </div>
  );
}

interface PictureRowProps {
  readonly picture: Picture;
  readonly roles: readonly Role[];
  readonly onRole: (role: Role) => void;
  readonly onRemove: () => void;
}

function PictureRow({ picture, roles, onRole, onRemove }: PictureRowProps) {
  const { name, preview, role } = picture;
  return (
    <li className="picture">
      {preview === undefined ? (
        <span className="picture-empty" />
      ) : (
        <img src={preview} alt="" width={52} height={38} />
      )}
      <div className="stack stack-close">
        <span className="picture-name" title={name}>
          {name}
        </span>
        <select
          className="select"
          aria-label={`Role of ${name}`}
          value={role}
          onChange={({ target }) => {
            onRole(target.value as Role);
          }}
        >
          {[...new Set([...roles, role])].map((each) => (
            <option key={each} value={each}>
              {words[each]}
              {roles.includes(each) ? '' : ' (not sent: not supported by every model)'}
            </option>
          ))}
        </select>
      </div>
      <button
        type="button"
        className="button button-small button-plain"
        aria-label={`Remove ${name}`}
        onClick={onRemove}
      >
        <Icon name="cross" />
      </button>
    </li>
  );
}
