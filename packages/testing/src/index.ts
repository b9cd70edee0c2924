export * from './eventually.ts';
export * from './factories.ts';
export * from './peer.ts';
export * from './recording-log.ts';
export * from './test-database.ts';
export * from './without-guard.ts';
