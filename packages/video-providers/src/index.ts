export * from './port.ts';
export * from './registry.ts';
