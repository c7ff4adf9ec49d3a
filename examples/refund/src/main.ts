/**
 * The refund of the texts, told step by step: a plan is proposed and verified, two lookups run, the payment waits for
 * a person, runs once, is judged and recorded, and then the whole run is derived again from its journal.
 */
import { parseArgs, styleText } from 'node:util';
import { ambit, Fault, type RunEvent, templatePlanner } from 'ambit';
import { refundDecision, support, templates } from './agent.ts';
import { refundRequest } from './request.ts';
import { openShop } from './shop.ts';
import { tell } from './story.ts';

const HELP = `The refund scenario, in memory, without a model or a key.

Usage: npm run demo [-- options]

  --reject        the finance lead says no
  --store STORE   memory (default) or sqlite:<file>
  --json          the run as one line of JSON
  --help

Examples:
  npm run demo
  npm run demo -- --reject
  npm run demo -- --store sqlite:demo.db --json`;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      reject: { type: 'boolean', default: false },
      store: { type: 'string', default: 'memory' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return console.log(HELP);
  const shop = openShop();
  const runtime = ambit({
    agent: support,
    tools: shop.tools,
    planner: templatePlanner(templates),
    decisions: [refundDecision],
    store: values.store as 'memory',
  });
  const waiting = await runtime.invoke(refundRequest);
  const [gate] = waiting.pending;
  if (gate === undefined) throw new Fault('internal', `the refund did not come to its gate: ${waiting.reason}`);
  const packet = await runtime.packet(gate.packetHash);
  const answer = { gateId: gate.gateId, packetHash: gate.packetHash, approver: 'user_finance_lead' };
  const done = values.reject
    ? await runtime.reject({ ...answer, reason: 'not covered' })
    : await runtime.approve({ ...answer, reason: 'within policy' });
  const frames = await runtime.frames(done.runId);
  const { turns } = await runtime.replay(done.runId);
  await runtime.close();
  if (values.json) return console.log(JSON.stringify({ ...done, refunds: [...shop.refunds.values()] }));
  const events = frames.flatMap((frame) => JSON.parse(frame.events) as RunEvent[]);
  console.log(
    tell({
      request: refundRequest,
      events,
      packet,
      outcome: done,
      refunds: [...shop.refunds.values()],
      replayed: turns.length,
    }),
  );
}

main().catch((error: unknown) => {
  const message = Fault.is(error) ? `${error.code}: ${error.message}` : String(error);
  console.error(styleText('red', message));
  process.exitCode = 1;
});
