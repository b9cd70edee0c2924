import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Files of a certificate for 127.0.0.1 and of the private authority that signed it. */
export interface Certificates {
  readonly ca: string;
  readonly key: string;
  readonly certificate: string;
}

/** Whether this machine can make certificates. */
export const hasOpenssl = (): Promise<boolean> =>
  run('openssl', ['version']).then(
    () => true,
    () => false,
  );

/** An authority that nobody else trusts, and a certificate of it. */
export async function makeCertificates(folder: string): Promise<Certificates> {
  const file = (name: string): string => path.join(folder, name);
  const openssl = (...args: string[]): Promise<unknown> => run('openssl', args, { cwd: folder });
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  await openssl(
    ...['req', '-x509', ...newKey, '-days', '2', '-subj', '/CN=test authority'],
    ...['-keyout', 'ca.key', '-out', 'ca.crt'],
  );
  await openssl(
    ...['req', ...newKey, '-subj', '/CN=127.0.0.1', '-keyout', 'server.key', '-out', 'server.csr'],
  );
  await writeFile(file('san.txt'), 'subjectAltName=IP:127.0.0.1,DNS:localhost');
  await openssl(
    ...['x509', '-req', '-in', 'server.csr', '-CA', 'ca.crt', '-CAkey', 'ca.key'],
    ...['-CAcreateserial', '-days', '2', '-extfile', 'san.txt', '-out', 'server.crt'],
  );
  return { ca: file('ca.crt'), key: file('server.key'), certificate: file('server.crt') };
}
