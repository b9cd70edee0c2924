interface Family {
  readonly head: string[];
  readonly samples: string[];
}

const familyOf = (line: string): string | undefined => /^# (?:HELP|TYPE) (\S+)/.exec(line)?.[1];

/**
 * The metrics of several processes as one text, in which each family stands once, as Prometheus
 * wants it. A label tells the samples of the processes apart.
 */
export function mergeMetrics(texts: readonly string[]): string {
  const families = new Map<string, Family>();
  for (const text of texts) {
    let name = '';
    for (const line of text.split('\n').filter((each) => each !== '')) {
      name = familyOf(line) ?? name;
      let family = families.get(name);
      if (family === undefined) families.set(name, (family = { head: [], samples: [] }));
      if (!line.startsWith('#')) family.samples.push(line);
      else if (!family.head.includes(line)) family.head.push(line);
    }
  }
  return [...families.values()]
    .map(({ head, samples }) => `${[...head, ...samples].join('\n')}\n`)
    .join('\n');
}
