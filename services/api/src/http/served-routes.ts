import type { Express, Router } from 'express';

interface Layer {
  readonly route?: { readonly path: string; readonly methods: Readonly<Record<string, boolean>> };
  readonly handle?: { readonly stack?: readonly Layer[] };
}

/**
 * Every route and method that is served, as `GET /v1/videos/{}`: those of Express, and the paths of
 * the text lane before it.
 */
export function servedRoutes(app: Express, textRoutes: readonly string[]): readonly string[] {
  const { stack } = app.router as Router & { readonly stack: readonly Layer[] };
  return [...routesIn(stack), ...textRoutes.map((route) => `POST ${route}`)].map(withoutNames);
}

/** A route in which all methods are refused serves none. */
const routesIn = (stack: readonly Layer[]): string[] =>
  stack.flatMap(({ route, handle }) => {
    if (route !== undefined) {
      return Object.keys(route.methods)
        .filter((method) => method !== '_all')
        .map((method) => `${method.toUpperCase()} ${route.path}`);
    }
    return routesIn(handle?.stack ?? []);
  });

/** A route with its parameters unnamed. */
export const withoutNames = (route: string): string => route.replace(/:\w+|\*\w+|\{\w+\}/g, '{}');
