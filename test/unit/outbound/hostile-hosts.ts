/** Hosts as a stranger may write them in a URL; none of them is public. */
export const hostileHosts = [
  '127.0.0.1', '127.1', '0x7f.1', '2130706433', '0177.0.0.1', '0.0.0.0', '0', '10.0.0.1', '100.64.0.1', '100.100.100.200',
  '169.254.169.254', '172.16.0.1', '192.0.0.192', '192.0.2.1', '192.88.99.1', '192.168.0.1', '198.18.0.1', '198.51.100.1',
  '203.0.113.1', '224.0.0.1', '240.0.0.1', '255.255.255.255', '168.63.129.16', '[::]', '[::1]', '[::127.0.0.1]',
  '[::ffff:127.0.0.1]', '[::ffff:0:127.0.0.1]', '[64:ff9b::7f00:1]', '[64:ff9b:1::a9fe:a9fe]', '[100::1]', '[2001::1]',
  '[2001:2::1]', '[2001:20::1]', '[2001:db8::1]', '[2002:7f00:1::]', '[3fff::1]', '[5f00::1]', '[fc00::1]', '[fd00:ec2::254]',
  '[fe80::1]', '[fec0::1]', '[ff02::1]', '[4000::1]', 'localhost', 'localhost.', 'LOCALHOST', '①②⑦.0.0.1',
  '127。0。0。1', '%31%32%37.0.0.1', 'a.localhost', 'printer.local', 'metadata.google.internal', 'intranet',
  'localhost..', '127.0.0.1..', '0x7f.1..', 'a..example', '.example', '%2e', '*.example', 'ex$mple.example', '(a).example', `${'a'.repeat(64)}.example`,
  'localhost.localdomain', 'router.home.arpa', 'hidden.onion', 'nothing.invalid',
] as const;

export const publicHosts = ['8.8.8.8', '1.1.1.1', '[2606:4700:4700::1111]', '[2001:4860:4860::8888]'] as const;

/** The addresses among them, as a resolver would answer them. */
export const hostileAddresses: readonly string[] = [
  ...hostileHosts.filter((host) => /^\d+\.\d+\.\d+\.\d+$/.test(host) && !host.startsWith('0177')),
  ...hostileHosts.filter((host) => host.startsWith('[')).map((host) => host.slice(1, -1)),
  '::ffff:10.0.0.1', '::ffff:169.254.169.254', 'fe80::1%eth0',
  // no resolver spells an address like this, public though it would be
  '0x8.8.8.8', '010.8.8.8', '134744072', '8.8.2056', 'not an address', '',
];
