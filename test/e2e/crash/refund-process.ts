/** One process of the crash sweep: runs the refund on a SQLite file and kills itself at the chosen moment. */
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { supportAgent } from '../../../examples/01-refund/src/agent.ts';
import { refundRequest } from '../../../examples/01-refund/src/request.ts';
import { openShop } from '../../../examples/01-refund/src/shop.ts';
import { sha256 } from '../../../src/adapters/node/ids-and-hash.ts';
import { sqliteJournal } from '../../../src/adapters/sqlite/sqlite-journal.ts';
import { ambit } from '../../../src/compose.ts';
import type { BoundTool } from '../../../src/ports/bound-tool.ts';
import type { FaultPoint } from '../../../src/ports/journal/journal.ts';

export type Moment = FaultPoint | 'before_call' | 'after_call';

const [folder = '', moment = 'none', count = '0'] = process.argv.slice(2);
let left = Number(count);

function dieAt(reached: Moment): void {
  if (reached !== moment) return;
  left -= 1;
  if (left === 0) process.kill(process.pid, 'SIGKILL');
}

/** A payment provider outside this process: it remembers idempotency keys and counts its payments. */
function provider(tool: BoundTool): BoundTool {
  const ledger = `${folder}/ledger.txt`;
  return {
    ...tool,
    spec: { ...tool.spec, timeout_ms: 100 },
    execute: (args, context) => {
      dieAt('before_call');
      const line = `${tool.spec.name} ${context.idempotencyKey}\n`;
      const seen = existsSync(ledger) ? readFileSync(ledger, 'utf8') : '';
      if (!seen.includes(line)) appendFileSync(ledger, line);
      dieAt('after_call');
      return tool.execute(args, context);
    },
  };
}

const journal = sqliteJournal({ path: `${folder}/run.db`, hash: sha256, faults: dieAt });
const runtime = ambit({
  agent: supportAgent(openShop().tools.map(provider)),
  limits: { dispatchWindowMs: 100 },
  world: { journal },
});
const [begun] = await journal.list({});
const waiting = begun === undefined ? await runtime.invoke(refundRequest) : await runtime.resume(begun.session_id);
const [gate] = waiting.pending;
const done =
  gate === undefined
    ? waiting
    : await runtime.approve(gate.gateId, {
        packetHash: gate.packetHash,
        credential: { kind: 'local_operator', name: 'user_finance_lead' },
        reason: 'ok',
      });
const { state } = await runtime.records.replay(done.runId);
console.log(JSON.stringify({ code: done.terminalCode, verdict: done.verdict, replayed: state.ending.terminal?.code }));
await runtime.close();
