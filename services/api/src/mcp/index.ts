/** The tools of agents over HTTP, which do nothing but call the other routes. */
export { createInnerCalls, type InnerCalls } from './inner-calls.ts';
export { mcpRoutes } from './routes.ts';
