import { optionalFields, type OptionalField } from '@gateway/contracts';
import type { Submission } from '../port.ts';

/** Ark takes 3600 to 259200 seconds; outside them it returns 400. */
const expirySeconds = { min: 3_600, max: 259_200 } as const;

/**
 * The JSON body of `POST /contents/generations/tasks`. Everything that was priced is stated, since
 * Ark's own defaults differ from ours (it generates audio, for one). Never a `callback_url`: Ark's
 * pushes carry no signature.
 */
export function arkRequestBody(submission: Submission): object {
  const optional: Readonly<Record<OptionalField, object>> = {
    watermark: { watermark: submission.watermark },
    generate_audio: { generate_audio: submission.generateAudio },
    return_last_frame: { return_last_frame: submission.returnLastFrame },
    seed: submission.seed === null ? {} : { seed: submission.seed },
  };
  return {
    model: submission.upstreamModel,
    content: contentItems(submission),
    ratio: submission.ratio,
    duration: submission.duration,
    resolution: submission.resolution,
    // Ark refuses a field that its model does not know, whatever the value.
    ...(Object.assign(
      {},
      ...optionalFields
        .filter((field) => !submission.unsupported.includes(field))
        .map((field) => optional[field]),
    ) as object),
    ...arkOptions(submission),
    execution_expires_after: Math.min(
      Math.max(Math.ceil(submission.expiresAfterSeconds), expirySeconds.min),
      expirySeconds.max,
    ),
    safety_identifier: submission.correlation,
  };
}

/** Only what was asked for, in Ark's words: its own defaults are what a request without them means. */
const arkOptions = ({ serviceTier, draft, priority, task }: Submission): object => ({
  ...(serviceTier === 'flex' && { service_tier: 'flex' }),
  ...(draft === true && { draft }),
  ...(priority !== undefined && { priority }),
  ...(task !== undefined && { omni_reference_task_type: task }),
});

const contentItems = ({ prompt, references }: Submission): object[] => [
  ...(prompt === '' ? [] : [{ type: 'text', text: prompt }]),
  ...references.map(({ kind, role, url }) => ({
    type: `${kind}_url`,
    [`${kind}_url`]: { url: lowerCaseMediaType(url) },
    role,
  })),
];

/** Ark refuses `data:image/PNG`: the part before the comma must be in lower case. */
const lowerCaseMediaType = (url: string): string =>
  url.replace(/^data:[^,]*,/i, (header) => header.toLowerCase());
