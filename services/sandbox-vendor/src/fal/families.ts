interface MediaField {
  readonly kind: 'image' | 'video' | 'audio';
  readonly role: string;
}

/** What the sandbox's copy of a family of endpoints takes; anything else is refused by its name. */
export interface Family {
  readonly endpoint: RegExp;
  readonly fields: readonly string[];
  readonly media: Readonly<Record<string, MediaField>>;
  readonly durationType: 'string' | 'number';
  readonly resolutions: readonly string[];
}

const usual = ['prompt', 'duration', 'aspect_ratio'];
const frames = (first: string): Family['media'] => ({
  [first]: { kind: 'image', role: 'first_frame' },
  end_image_url: { kind: 'image', role: 'last_frame' },
});
const references: Family['media'] = {
  image_urls: { kind: 'image', role: 'reference_image' },
  video_urls: { kind: 'video', role: 'reference_video' },
  audio_urls: { kind: 'audio', role: 'reference_audio' },
};

const family = (
  endpoint: RegExp,
  { media, fields, ...rest }: Omit<Family, 'endpoint'>,
): Family => ({ endpoint, media, fields: [...usual, ...fields, ...Object.keys(media)], ...rest });

const families: readonly Family[] = [
  family(/^fal-ai\/kling-video\/v3\/(?:standard|pro)\/(?:text|image)-to-video$/, {
    fields: ['generate_audio'],
    media: frames('start_image_url'),
    durationType: 'string',
    resolutions: [],
  }),
  family(/^bytedance\/seedance-2\.5\/(?:text|image|reference)-to-video$/, {
    fields: ['resolution', 'generate_audio', 'seed'],
    media: { ...frames('image_url'), ...references },
    durationType: 'string',
    resolutions: ['480p', '720p', '1080p'],
  }),
  family(/^alibaba\/wan-3\.0\/(?:text|image|reference)-to-video$/, {
    fields: ['resolution', 'audio', 'seed'],
    media: { ...frames('start_image_url'), ...references },
    durationType: 'number',
    resolutions: ['480p', '720p', '1080p'],
  }),
];

export const familyOf = (endpoint: string): Family | undefined =>
  families.find((one) => one.endpoint.test(endpoint));
