export function release(options: {
  readonly root: string;
  readonly wanted: string;
  readonly day: string;
  readonly dryRun: boolean;
  readonly image: boolean;
  readonly say: (line: string) => void;
}): Promise<void>;
