export { createProviderSlots, type ProviderSlots } from './provider-slots.ts';
