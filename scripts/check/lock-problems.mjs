/**
 * What is wrong with the entries of a lock file: one without a sha512 that is not named in
 * `unverified` (`name@version`), is required, or is for no platform of its own; a name in the list
 * that needs no place there.
 */
export function findLockProblems(packages, unverified) {
  const named = new Set(unverified);
  const problems = [];
  for (const [path, entry] of Object.entries(packages)) {
    if (!path.includes('node_modules/') || entry.link === true) continue;
    const name = `${path.split('node_modules/').at(-1)}@${entry.version}`;
    if (/^sha512-[\w+/]{86}==$/.test(entry.integrity ?? '')) continue;
    if (!named.delete(name)) {
      problems.push(`${path}: ${name} has no integrity (sha512) in package-lock.json`);
    } else if (entry.optional !== true) {
      problems.push(`${path}: ${name} has no integrity and is not optional`);
    }
  }
  for (const name of named) {
    problems.push(`unverified-packages.json: ${name} has an integrity, or is gone; remove it`);
  }
  return problems;
}
