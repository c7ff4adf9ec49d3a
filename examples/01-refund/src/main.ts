/**
 * The refund of the texts, told step by step: a plan is proposed and verified, two lookups run, the payment waits for
 * a person, runs once, is judged and recorded, and then the whole run is derived again from its journal.
 */
import { parseArgs, styleText } from 'node:util';
import { ambit, Fault, type RunEvent } from 'ambit';
import { faultRow } from 'ambit/model';
import { supportAgent } from './agent.ts';
import { refundRequest } from './request.ts';
import { openShop } from './shop.ts';
import { tell } from './story.ts';

const HELP = `The refund scenario, in memory, without a model or a key.

Usage: npm run demo [-- options]

  --reject        the finance lead says no
  --store STORE   memory (default) or sqlite:<file>
  --json          the run as one line of JSON
  --help          this page

Examples:
  npm run demo
  npm run demo -- --reject
  npm run demo -- --store sqlite:demo.db --json`;

interface Options {
  readonly reject: boolean;
  readonly store: string;
  readonly json: boolean;
  readonly help: boolean;
}

function optionsOf(args: readonly string[]): Options {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        reject: { type: 'boolean', default: false },
        store: { type: 'string', default: 'memory' },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    });
    return values;
  } catch (error) {
    // What follows the first sentence explains arguments that this program does not take.
    const [why] = error instanceof Error ? error.message.split(/\.(?:\s|$)/) : [];
    throw new Fault('input_invalid', `${why}; it takes --reject, --store, --json, --help`, { cause: error });
  }
}

async function main(): Promise<void> {
  const values = optionsOf(process.argv.slice(2));
  if (values.help) return console.log(HELP);
  const shop = openShop();
  const policy = { gates: { GATE_FINANCE_APPROVAL: { roles: ['finance'] } } };
  const runtime = ambit({ agent: supportAgent(shop.tools), store: values.store as 'memory', world: { policy } });
  const waiting = await runtime.invoke(refundRequest);
  const [gate] = waiting.pending;
  if (gate === undefined) throw new Fault('internal', `the refund did not come to its gate: ${waiting.reason}`);
  const packet = await runtime.packet(gate.packetHash);
  const answer = {
    packetHash: gate.packetHash,
    credential: { kind: 'local_operator', name: 'user_finance_lead', roles: ['finance'] } as const,
  };
  const done = values.reject
    ? await runtime.reject(gate.gateId, { ...answer, reason: 'not covered' })
    : await runtime.approve(gate.gateId, { ...answer, reason: 'within policy' });
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
  const fault = Fault.is(error) ? error : new Fault('internal', String(error), { cause: error });
  console.error(styleText('red', `npm run demo: ${fault.code}: ${fault.message}`, { stream: process.stderr }));
  process.exitCode = faultRow(fault.code).exit;
});
