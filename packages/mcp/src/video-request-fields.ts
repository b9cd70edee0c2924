// Made from the OpenAPI document by "npm run generate:client-types". Do not edit.

/** The fields of a video request. */
export const videoRequestFields = {
  model: { type: 'string', minLength: 1, description: 'Must be the id of a video model.' },
  prompt: { type: 'string', description: 'Must be a string.' },
  references: {
    type: 'array',
    maxItems: 64,
    items: {
      type: 'object',
      additionalProperties: false,
      required: ['type', 'url'],
      properties: {
        type: {
          type: 'string',
          enum: ['image', 'video', 'audio'],
          description: 'Must be one of image, video, audio.',
        },
        role: {
          type: 'string',
          enum: [
            'reference_image',
            'reference_video',
            'reference_audio',
            'first_frame',
            'last_frame',
          ],
          description:
            'Must be one of reference_image, reference_video, reference_audio, first_frame, last_frame.',
        },
        url: {
          type: 'string',
          minLength: 1,
          description: 'Must be a URL, a data: URL, an asset id or the id of a video.',
        },
      },
      description: 'Must be an object with type, role and url.',
    },
    description: 'Must be an array of at most 64 references.',
  },
  ratio: { type: 'string', description: 'Must be a ratio such as "16:9".' },
  duration: { type: 'integer', description: 'Must be an integer.' },
  resolution: { type: 'string', description: 'Must be a resolution such as "720p".' },
  watermark: { type: 'boolean', description: 'Must be true or false.' },
  seed: {
    type: 'integer',
    minimum: -1,
    maximum: 4294967295,
    description: 'Must be an integer between -1 and 4294967295.',
  },
  generate_audio: { type: 'boolean', description: 'Must be true or false.' },
  return_last_frame: { type: 'boolean', description: 'Must be true or false.' },
  service_tier: {
    type: 'string',
    enum: ['standard', 'flex'],
    description: 'Must be one of standard, flex.',
  },
  draft: { type: 'boolean', description: 'Must be true or false.' },
  priority: {
    type: 'integer',
    minimum: 0,
    maximum: 9,
    description: 'Must be an integer between 0 and 9.',
  },
  task: { type: 'string', enum: ['extend', 'edit'], description: 'Must be one of extend, edit.' },
  callback_url: { type: 'string', minLength: 1, description: 'Must be a URL.' },
  metadata: {
    type: 'object',
    maxProperties: 16,
    propertyNames: { minLength: 1, maxLength: 64 },
    additionalProperties: {
      type: 'string',
      maxLength: 512,
      description: 'Must be a string of at most 512 characters.',
    },
    description: 'Must be an object of at most 16 string pairs, names at most 64 characters.',
  },
} as const;
