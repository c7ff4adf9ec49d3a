/** A chat at the terminal: each line is a message of one thread, and sentences appear as they are released. */
import { randomUUID } from 'node:crypto';
import { createInterface } from 'node:readline';
import { ambit } from 'ambit';
import { helpdesk } from './agent.ts';

const runtime = ambit({ agent: helpdesk, store: 'sqlite:ambit.db' });
const user = { name: 'ada', tenant: 'shop' };
const thread = `thread_${randomUUID()}`;

process.stdout.write('you> ');
for await (const message of createInterface({ input: process.stdin })) {
  if (message.trim() !== '') {
    const run = runtime.start({ message, user, thread });
    for await (const piece of run.text) process.stdout.write(piece);
    const { question } = await run.settled;
    process.stdout.write(question === null ? '\n' : `\n${question.fields.join(', ')}?\n`);
  }
  process.stdout.write('you> ');
}
process.stdout.write('\n');
await runtime.close();
