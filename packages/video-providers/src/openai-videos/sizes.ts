import type { VideoFormat } from '@gateway/contracts';

/**
 * OpenAI `/v1/videos`. The published client knows 4, 8 and 12 seconds, the service itself also took
 * 16 and 20.
 */
export const openaiVideosFormat: VideoFormat = {
  seconds: [4, 8, 12, 16, 20],
  sizes: {
    '720p': { '16:9': '1280x720', '9:16': '720x1280' },
    '1024p': { '7:4': '1792x1024', '4:7': '1024x1792' },
    '1080p': { '16:9': '1920x1080', '9:16': '1080x1920' },
  },
};
