/** Prints one plain closing line, so that whoever runs the tests sees the count at a glance. */
export default class ClosingLineReporter {
  onRunComplete(_contexts, results) {
    const {
      numPassedTests: passed,
      numFailedTests: failed,
      numPendingTests: skipped,
      numRuntimeErrorTestSuites: broken,
    } = results;
    process.stdout.write(
      `\njest: ${passed} passed, ${failed + broken} failed, ${skipped} skipped\n`,
    );
  }
}
