/** The process that drives the run. It executes one command and sends the outcome; it may be killed at any moment. */
import { ambit, type RunOutcome } from 'ambit';
import { supportAgent } from './agent.ts';
import { ledgerAt } from './ledger-client.ts';
import { refundRequest } from './request.ts';
import { LIMITS, POLICY } from './settings.ts';
import { supportTools } from './tools.ts';

const [command, store, ledger, subject = '', packetHash = ''] = process.argv.slice(2);
const runtime = ambit({
  agent: supportAgent(supportTools(ledgerAt(String(ledger)))),
  store: `sqlite:${store}`,
  limits: LIMITS,
  world: { policy: POLICY },
});

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
