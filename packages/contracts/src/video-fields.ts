/** Request fields that a model may be configured not to support. */
export const optionalFields = ['seed', 'watermark', 'generate_audio', 'return_last_frame'] as const;
export type OptionalField = (typeof optionalFields)[number];

export const frameRoles = ['first_frame', 'last_frame'] as const;
export type FrameRole = (typeof frameRoles)[number];
