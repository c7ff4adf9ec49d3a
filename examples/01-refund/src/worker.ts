/** The process that drives the refund. It executes one command and sends the outcome; it may be killed at any moment. */
import type { RunOutcome } from 'ambit';
import { ledgerAt } from './ledger-client.ts';
import { openRuntime } from './open-runtime.ts';
import { refundRequest } from './request.ts';

// A worker ends with the demo, so that `--resume` can continue its run.
process.on('disconnect', () => process.exit(0));

const [command, store, ledger, model, subject = '', packetHash = ''] = process.argv.slice(2);
const runtime = openRuntime(String(store), ledgerAt(String(ledger)), String(model));

const DECISION = {
  credential: { kind: 'local_operator', name: 'user_finance_lead', roles: ['finance'] },
  packetHash,
} as const;

const COMMANDS: Readonly<Record<string, () => Promise<RunOutcome>>> = {
  invoke: () => runtime.invoke(refundRequest),
  approve: () => runtime.approve(subject, { ...DECISION, reason: 'within policy' }),
  reject: () => runtime.gates.reject(subject, { ...DECISION, reason: 'not covered' }),
  resume: () => runtime.resume(subject),
};

const outcome = await COMMANDS[String(command)]?.();
await runtime.close();
process.send?.({ outcome });
process.disconnect?.();
