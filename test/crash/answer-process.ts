/**
 * One process of an answer on real files: it shows each piece of the answer when it is released, in a file of its own.
 * Its composer writes another answer in each process.
 *
 *     node answer-process.ts <folder> <process> <append> <before | after>
 *
 * The process kills itself before or after this append, and lives to its end for append 0. Its last line has the outcome.
 */
import { appendFileSync } from 'node:fs';
import { sha256 } from '../../src/adapters/node/ids-and-hash.ts';
import { sqliteJournal } from '../../src/adapters/sqlite/sqlite-journal.ts';
import { ambit } from '../../src/compose.ts';
import type { ComposedSentence } from '../../src/model/evidence/answer.ts';
import type { Journal } from '../../src/ports/journal/journal.ts';
import { scriptedPlanner } from '../../src/testing/scripted-planner.ts';
import { ACCOUNT, ACCOUNT_REF, INVOICE, INVOICE_REF, sentence } from '../runs/answers/bench.ts';
import { agentFor, planOf, REQUEST, toolSpec } from '../runs/rig.ts';

const [folder = '', name = '', append = '0', moment = ''] = process.argv.slice(2);

let appends = 0;
const dying = (journal: Journal): Journal => ({
  ...journal,
  append: async (...args) => {
    appends += 1;
    const isLast = String(appends) === append;
    if (isLast && moment === 'before') process.kill(process.pid, 'SIGKILL');
    const appended = await journal.append(...args);
    if (isLast) process.kill(process.pid, 'SIGKILL');
    return appended;
  },
});

const PLAN = sentence('Your plan is Pro.', [ACCOUNT_REF, '/plan']);
const PAID = sentence('Invoice INV-7 was paid on 3 May 2026.', [INVOICE_REF, '/paid_on']);
const TOTAL = sentence('The total of invoice INV-7 is €49.90.', [INVOICE_REF, '/total_cents']);
const WRONG = sentence('The total of invoice INV-7 is €94.90.', [INVOICE_REF, '/total_cents']);
const RENEWS = sentence('Your plan renews on 3 June 2026.', [ACCOUNT_REF, '/renews_on']);

/** The answer and the rewrite of each process. */
const ANSWERS: Readonly<Record<string, readonly (readonly ComposedSentence[])[]>> = {
  first: [[PLAN, WRONG, PAID], [TOTAL]],
  second: [[PAID, RENEWS, WRONG], [WRONG]],
};
const answers = [...(ANSWERS[name] ?? [])];

const bound = (tool: string, value: object, produces: readonly string[]) => ({
  spec: toolSpec(tool, { trusted: true, produces }),
  execute: () => value as never,
});

const opened = sqliteJournal({ path: `${folder}/run.db`, hash: sha256, writer: 'inline' });
const runtime = ambit({
  agent: agentFor(['account', 'invoice']),
  tools: [bound('account', ACCOUNT, []), bound('invoice', INVOICE, ['done'])],
  planner: scriptedPlanner([
    planOf([
      { id: 'a', tool: 'account' },
      { id: 'b', tool: 'invoice', depends_on: ['a'] },
    ]),
  ]),
  world: {
    journal: dying(opened),
    composer: {
      cost: { input_tokens: 1, output_tokens: 1, microusd: 1 },
      compose: async ({ rewrite }) => {
        if (rewrite.length > 0) return answers[1] ?? [];
        return answers[0] ?? [];
      },
    },
  },
});

const [begun] = await opened.list({});
const run =
  begun === undefined
    ? runtime.start({
        message: 'Which plan am I on, and what did I pay?',
        user: { name: 'ada', tenant: REQUEST.identity.tenant_id },
      })
    : await runtime.sessions.follow(begun.session_id, { until: () => runtime.resume(begun.session_id) });
for await (const piece of run.text) appendFileSync(`${folder}/${name}.txt`, piece);
const { terminalCode, text, sentences } = await run.settled;
await runtime.records.replay(run.id);
console.log(JSON.stringify({ terminalCode, text, sentences: sentences.length, appends }));
await runtime.close();
