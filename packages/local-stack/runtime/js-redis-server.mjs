// A Redis in JavaScript for machines that have none: development only, keeps nothing, slow with
// deep queues.
//   node js-redis-server.mjs settings.json      where settings.json is {"port":6379,"password":"…"}
import { readFileSync } from 'node:fs';
import net from 'node:net';
import process from 'node:process';
import { createRedisServer } from 'js-redis-server';

const { port, password } = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8'));

// The library listens on every interface and has no setting for it. Nothing else in this process
// listens.
const listen = net.Server.prototype.listen;
/** @this {net.Server} @param {any} portNumber */
net.Server.prototype.listen = function listenOnLoopback(portNumber) {
  return Reflect.apply(listen, this, [portNumber, '127.0.0.1']);
};

const server = await createRedisServer({ port, databaseCount: 64 });
// Read only by its type alone.
Object.assign(server.state, { requirepass: password });
process.stdout.write(`JavaScript Redis for development listens on 127.0.0.1:${server.port}\n`);
process.on('SIGTERM', () => process.exit(0));
