export { freePort, freePorts } from './ports.ts';
export { type LocalPostgres, startPostgres } from './postgres.ts';
export { type LocalRedis, startRedis } from './redis.ts';
export { openRoles, type RoleAddresses } from './service-roles.ts';
export { compiledEntryOf, gatewayServices, type Service } from './services.ts';
export { startSuite, type ServiceSettings, type StartSuiteOptions, type Suite } from './suite.ts';
