import { describe, expect, it } from '@jest/globals';
import { buildDocument } from '@gateway/api';
import { documentsOf, manifestText, type Manifest } from './suite.ts';

describe('the way in from outside', () => {
  const objects = documentsOf(manifestText('overlays/production', 'gateway-api'));
  const ofKind = (kind: string): Manifest[] =>
    objects.filter((each: Manifest) => each.kind === kind);
  /** For operators and probes, who come from inside; and the page that only says where all is. */
  const inside = /^\/admin\/|^\/livez$|^\/$/;
  const served = [
    ...Object.keys(buildDocument({ baseUrl: 'http://gateway.test', version: '0' }).paths),
    '/console',
    '/console/videos',
  ];
  type Rule = readonly [type: string, value: string];
  const rulesOfIngress = ofKind('Ingress').flatMap(({ spec }): Rule[] =>
    spec.rules.flatMap(({ http }: Manifest) =>
      http.paths.map(({ path: value, pathType }: Manifest) => [pathType, value]),
    ),
  );
  const rulesOfRoute = ofKind('HTTPRoute').flatMap(({ spec }): Rule[] =>
    spec.rules.flatMap(({ matches }: Manifest) =>
      matches.map(({ path: { type, value } }: Manifest) => [type, value]),
    ),
  );
  const leadsTo = ([type, value]: Rule, to: string): boolean =>
    to === value || (type !== 'Exact' && to.startsWith(`${value}/`));
  it.each([
    ['ingress', rulesOfIngress],
    ['gateway-api', rulesOfRoute],
  ])('leads to all that customers use, and to nothing else: %s', (_component, rules) => {
    const reached = served.filter((each) => rules.some((rule) => leadsTo(rule, each)));

    expect(reached).toEqual(served.filter((each) => !inside.test(each)));
    expect(rules.filter((rule) => !served.some((each) => leadsTo(rule, each)))).toEqual([]);
  });
});
