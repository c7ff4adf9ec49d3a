/**
 * The ledger as a separate process with HTTP in front and SQLite behind, which outlives its clients. It can withhold an
 * answer, so that the demo can kill a client after the money has moved and before the client knows.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DatabaseSync } from 'node:sqlite';
import { json } from 'node:stream/consumers';
import { RECORDS, RefundOrder } from './ledger.ts';

const db = new DatabaseSync(process.argv[2] ?? ':memory:');
db.exec('pragma journal_mode = wal; pragma synchronous = full');
db.exec('create table if not exists records (path text primary key, body text not null) strict');
db.exec(
  'create table if not exists refunds (n integer primary key, key text not null unique, order_id text not null, amount_cents integer not null) strict',
);
const addRecord = db.prepare('insert or ignore into records values (?, ?)');
for (const [path, record] of RECORDS) addRecord.run(path, JSON.stringify(record));
const findRecord = db.prepare('select body from records where path = ?');
const addRefund = db.prepare('insert or ignore into refunds (key, order_id, amount_cents) values (?, ?, ?)');
const FIELDS = `select 'rf_' || n as refund_id, order_id, amount_cents, 'EUR' as currency, 'refunded' as status from refunds`;
const findRefund = db.prepare(`${FIELDS} where key = ?`);
const allRefunds = db.prepare(`${FIELDS} order by n`);

let isWithholding = false;
process.on('message', (message) => {
  isWithholding = message === 'withhold the next answer';
});
process.on('disconnect', () => process.exit(0));

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://ledger');
  const isRefunds = url.pathname === '/refunds';
  const key = request.headers['idempotency-key'];
  if (request.method === 'GET' && isRefunds) {
    const asked = url.searchParams.get('key');
    return reply(response, 200, asked === null ? allRefunds.all() : (findRefund.get(asked) ?? null));
  }
  if (request.method === 'GET') {
    const found = findRecord.get(decodeURIComponent(url.pathname));
    if (found !== undefined) return reply(response, 200, JSON.parse(String(found['body'])));
  }
  if (request.method === 'POST' && isRefunds && typeof key === 'string') {
    const asked = RefundOrder.safeParse(await json(request));
    if (!asked.success) return reply(response, 400, { error: 'a refund has an order_id and an amount_cents' });
    addRefund.run(key, asked.data.order_id, asked.data.amount_cents);
    const refund = findRefund.get(key);
    process.send?.({ booked: refund });
    if (!isWithholding) return reply(response, 201, refund);
    // The money has moved, and the client gets no answer.
    isWithholding = false;
    return;
  }
  reply(response, 404, null);
}

function reply(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

const server = createServer((request, response) => {
  answer(request, response).catch(() => reply(response, 500, { error: 'the ledger failed' }));
});
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
