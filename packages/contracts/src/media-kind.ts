export const mediaKinds = ['image', 'video', 'audio'] as const;
export type MediaKind = (typeof mediaKinds)[number];
