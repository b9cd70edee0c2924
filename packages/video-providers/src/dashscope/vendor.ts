import { checkWithBearer, type VideoVendor } from '../vendor.ts';
import { dashscopeBounds, dashscopeCapabilities } from './bounds.ts';
import { createDashscopeProvider } from './provider.ts';

/** Alibaba's Model Studio (DashScope): Wan 3.0, and models of others that it hosts. */
export const dashscope: VideoVendor = {
  kind: 'dashscope',
  bounds: dashscopeBounds,
  capabilities: dashscopeCapabilities,
  create: createDashscopeProvider,
  credentialCheck: checkWithBearer('/tasks/?page_no=1&page_size=1'),
};
