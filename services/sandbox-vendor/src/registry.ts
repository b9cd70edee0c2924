/** Every vendor that is simulated, a line each. */
export { ark } from './ark/vendor.ts';
export { dashscope } from './dashscope/vendor.ts';
export { fal } from './fal/vendor.ts';
export { googleOmni } from './google-omni/vendor.ts';
export { kling } from './kling/vendor.ts';
export { luma } from './luma/vendor.ts';
export { minimax } from './minimax/vendor.ts';
export { openaiVideos } from './openai-videos/vendor.ts';
export { runway } from './runway/vendor.ts';
export { vidu } from './vidu/vendor.ts';
export { xai } from './xai/vendor.ts';
