export const programs: Readonly<Record<string, string>>;
export const onlyAscii: {
  generateBundle(
    options: object,
    bundle: Record<string, { type: 'chunk' | 'asset'; fileName: string; code?: string }>,
  ): void;
};
