/** Every vendor that is simulated, a line each. */
export { ark } from './ark/vendor.ts';
export { minimax } from './minimax/vendor.ts';
export { openaiVideos } from './openai-videos/vendor.ts';
