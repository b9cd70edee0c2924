import process from 'node:process';

/** Something that a person can mend; the message says what, and how. */
export class SetupFailure extends Error {
  name = 'SetupFailure';
}

/** Ends a script: a SetupFailure in its own words, anything else with its stack. */
export function endWith(error) {
  process.stderr.write(
    `\n${error?.name === 'SetupFailure' ? error.message : (error?.stack ?? String(error))}\n`,
  );
  process.exit(1);
}
