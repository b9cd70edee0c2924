import { describe, expect, it } from '@jest/globals';
import {
  jestArgumentsOf,
  passArgumentsOf,
  projectsOf,
  readTestRequest,
  runsAllLong,
  unfitPaths,
} from '../../../packages/local-stack/src/test-selection.ts';

const files = [
  'test/unit/domain/price.test.ts',
  'test/unit/api/video.test.ts',
  'test/component/api/price-quote.test.ts',
  'test/e2e/video.test.ts',
  'test/long/chaos.test.ts',
  'test/long/video-crashes.test.ts',
];

/** What `npm test -- …` selects and hands to jest. */
function ask(line: string) {
  const request = readTestRequest(line.split(' ').filter((word) => word !== ''));
  const projects = projectsOf(request, files);
  return { projects: projects.join(' '), jest: jestArgumentsOf(request, projects).join(' ') };
}

describe('what npm test runs', () => {
  it.each([
    ['', 'unit integration component e2e'],
    ['test/unit/domain/price.test.ts', 'unit'],
    ['./test/unit/domain/price.test.ts', 'unit'],
    ['domain/PRICE', 'unit'],
    ['price', 'unit component'],
    ['price chaos', 'unit component'],
    ['video', 'unit e2e'],
    ['chaos', 'long'],
    ['test/long', 'long'],
    ['no-such-file', ''],
    ['--testPathPatterns price', 'unit component'],
    ['--testPathPatterns=price', 'unit component'],
    ['--selectProjects unit', 'unit'],
    ['--selectProjects unit integration', 'unit integration'],
    ['--selectProjects unit --testPathPatterns price', 'unit'],
    ['--selectProjects unit component price', 'unit component'],
    ['--selectProjects e2e price', ''],
    ['--long', 'long'],
    ['--long video', 'long'],
    ['--long price', ''],
    ['-t price', 'unit integration component e2e'],
    ['-t chaos video', 'unit e2e'],
    ['--seed=7 video --bail', 'unit e2e'],
  ])('%s: %s', (line, projects) => {
    expect(ask(line).projects).toBe(projects);
  });

  it.each([
    ['', '--selectProjects unit integration component e2e'],
    ['--long', '--maxWorkers=2 --selectProjects long'],
    ['--long --maxWorkers=3', '--maxWorkers=3 --selectProjects long'],
    ['--long -i', '-i --selectProjects long'],
    ['price', '--selectProjects unit component --testPathPatterns price'],
    ['price -t half', '-t half --selectProjects unit component --testPathPatterns price'],
    ['--selectProjects unit domain price', '--selectProjects unit --testPathPatterns domain price'],
    [
      '--watch domain',
      '--reporters=default --reporters=<rootDir>/test/progress-reporter.js --watchAll ' +
        '--selectProjects unit --testPathPatterns domain',
    ],
    [
      '--verbose domain',
      '--reporters=default --reporters=<rootDir>/test/progress-reporter.js --verbose ' +
        '--selectProjects unit --testPathPatterns domain',
    ],
  ])('%s: jest %s', (line, jest) => {
    expect(ask(line).jest).toBe(jest);
  });

  it.each([
    ['--long', true],
    ['--long --verbose', true],
    ['--long -t half', true],
    ['--selectProjects long', true],
    ['--long chaos', false],
    ['--long --watch', false],
    ['--long --maxWorkers=1', false],
    ['--selectProjects unit long', false],
    ['', false],
  ])('%s: all long files in passes: %s', (line, expected) => {
    const request = readTestRequest(line.split(' ').filter((word) => word !== ''));

    expect(runsAllLong(request, projectsOf(request, files))).toBe(expected);
  });

  it('starts jest with the files of a pass, and as many workers as it has', () => {
    const request = readTestRequest(['--long', '-t', 'half']);
    const pass = { workers: 3, isBehind: false, files: ['test/long/chaos.test.ts'] };

    expect(passArgumentsOf(request, ['long'], pass).join(' ')).toBe(
      '-t half --maxWorkers=3 --selectProjects long --runTestsByPath test/long/chaos.test.ts',
    );
  });

  it.each(['--help', '-h', 'price --help'])('%s asks for help', (line) => {
    expect(readTestRequest(line.split(' ')).help).toBe(true);
  });

  it.each([
    ['', []],
    ['price', []],
    ['--long chaos', []],
    ['priec', ['No test file fits "priec". Near it:\n  test/unit/domain/price.test.ts']],
    [
      'test/unit/domain/prices.test.ts',
      [
        'No test file fits "test/unit/domain/prices.test.ts". Near it:\n' +
          '  test/unit/domain/price.test.ts\n  test/component/api/price-quote.test.ts',
      ],
    ],
    [
      'test/component/chaos.test.ts',
      [
        'No test file fits "test/component/chaos.test.ts". Near it:\n  test/long/chaos.test.ts\n' +
          '  test/component/api/price-quote.test.ts',
      ],
    ],
    ['zzz', ['No test file fits "zzz". The files are below test/.']],
    ['[', ['No test file fits "[". The files are below test/.']],
    ['price zzz', ['No test file of unit, component fits "zzz". The files are below test/.']],
    [
      'price chaos',
      ['No test file of unit, component fits "chaos". Near it:\n  test/long/chaos.test.ts'],
    ],
    ['--selectProjects e2e zzz', ['No test file of e2e fits "zzz". The files are below test/.']],
    ['--long zzz', ['No test file of long fits "zzz". The files are below test/.']],
  ])('%s: tells which of the paths selects nothing, and what is near it', (line, told) => {
    const request = readTestRequest(line.split(' ').filter((word) => word !== ''));

    expect(unfitPaths(request, projectsOf(request, files), files)).toEqual(told);
  });
});
