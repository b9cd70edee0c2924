export { LocalStackError, type LocalStackProblem } from './local-stack-error.ts';
export { assertPortFree, freePort, freePorts } from './ports.ts';
export { startPostgres, type LocalPostgres, type StartPostgresOptions } from './postgres.ts';
export { startRedis, type LocalRedis, type StartRedisOptions } from './redis.ts';
export { gatewayServices, type Service, type Wiring } from './services.ts';
export { startSuite, type StartSuiteOptions, type Suite } from './suite.ts';
