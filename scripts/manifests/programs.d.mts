export function knownApiServer(): string | undefined;
export function apiServerPrograms(
  say: (line: string) => void,
): Promise<{ readonly etcd: string; readonly apiServer: string }>;
