export function takeNodeOption(args: readonly string[]): {
  version: string | undefined;
  rest: readonly string[];
};
export function otherNode(root: string, version: string): Promise<string>;
