/** Every vendor of videos that can be configured, a line each. */
export { ark } from './ark/vendor.ts';
export { minimax } from './minimax/vendor.ts';
export { openaiVideos } from './openai-videos/vendor.ts';
