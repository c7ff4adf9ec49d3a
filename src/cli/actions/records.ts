import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Anchors, type ChainReport, Fault, type RunRecords, storeTools } from '../../index.ts';
import { AdvisedFault } from '../advised-fault.ts';
import { type Action, type Call, isOn, textOf } from '../command.ts';
import { exitOf } from '../exit-codes.ts';
import { jsonFile } from '../json-file.ts';
import type { Paint } from '../terminal/terminal.ts';
import { counted } from '../views/counted.ts';
import { decisionLines } from '../views/decision-lines.ts';
import { traceView } from '../views/trace-view.ts';
import { originOf } from './origin-of.ts';
import { storeFile } from './store.ts';
import { withRuntime, word } from './with-runtime.ts';

export const trace: Action = (call) =>
  withRuntime(call, async ({ runtime }) => {
    const runId = word(call, 'session');
    if (isOn(call.flags, 'otlp')) {
      const traces = await runtime.otel(runId);
      call.terminal.show(traces, () => JSON.stringify(traces));
      return exitOf('done');
    }
    const [found, account] = [await runtime.trace(runId), await runtime.account(runId)];
    const origin = await originOf(runtime, runId);
    call.terminal.show({ account, origin, trace: found }, () => traceView(found, { account, origin }, call.terminal));
    return exitOf('done');
  });

export const diff: Action = (call) =>
  withRuntime(call, async ({ runtime }) => {
    const { terminal } = call;
    const found = await runtime.diff(word(call, 'session'), word(call, 'other'));
    terminal.show(found, () => diffView(found, terminal.paint));
    return exitOf(found.first === null ? 'done' : 'found');
  });

type RunDiff = Awaited<ReturnType<RunRecords['diff']>>;

function diffView({ first, decisions, a, b }: RunDiff, paint: Paint): string {
  const summary = (run: RunDiff['a']): string =>
    `${run.run_id}  ${run.terminal_code ?? 'not ended'}, ${counted(run.events, 'event')}, ${counted(run.plans, 'plan')}, calls ${run.calls.join(' ') || 'nothing'}`;
  if (first === null) return `${paint('good', '✓')} the same, apart from their names and their times`;
  return [
    `${paint('bad', '-')} ${summary(a)}`,
    `${paint('good', '+')} ${summary(b)}`,
    `They part at event ${first.event}: ${first.message}`,
    ...decisionLines(decisions, paint),
  ].join('\n');
}

/** Damage is what was looked for, so that is an answer. */
export const verify: Action = async (call) => {
  const anchors = textOf(call.flags, 'anchors');
  return anchors === null ? await verifyChain(call) : await verifyAnchors(call, anchors);
};

/** A chain shows what was changed in its middle; only what was kept elsewhere shows that all of it was written anew. */
async function verifyAnchors(call: Call, path: string): Promise<number> {
  const { terminal, flags } = call;
  const anchors = jsonFile(resolve(path), '--anchors') as unknown as Anchors;
  const verdict = storeTools.verifyAnchors(await storeFile(call), anchors, textOf(flags, 'signedBy') ?? undefined);
  terminal.show(verdict, () =>
    [
      ...verdict.findings.map((finding) => {
        const tone = 'message' in finding ? 'bad' : 'good';
        const why = 'message' in finding ? `: ${finding.message}` : '';
        return `${terminal.paint(tone, tone === 'good' ? '✓' : '✗')} ${finding.session_id}  ${finding.verdict}${why}`;
      }),
      `signature: ${verdict.signature}`,
    ].join('\n'),
  );
  return exitOf(verdict.ok ? 'done' : 'found');
}

const verifyChain: Action = (call) =>
  withRuntime(call, async ({ runtime }) => {
    const { terminal, words } = call;
    const report = await runtime.verifyChain(words['session']).catch((error: unknown) => {
      throw asBundle(error, word(call, 'session'));
    });
    terminal.show(report, () => reportView(report, terminal.paint));
    return exitOf(report.damaged.length === 0 ? 'done' : 'found');
  });

/** Whoever was sent a session in a file has its file's name first: what is in it is checked as it is brought in. */
function asBundle(cause: unknown, named: string): unknown {
  if (!Fault.is(cause) || cause.code !== 'session_not_found') return cause;
  if (statSync(named, { throwIfNoEntry: false })?.isFile() !== true) return cause;
  const message = `${named} is a file and no session: a bundle is checked when it is imported`;
  return new AdvisedFault(cause.code, message, { fix: `ambit sessions import ${named}`, cause });
}

function reportView({ runs, pruned, frames, blobs, checkpoints, damaged }: ChainReport, paint: Paint): string {
  const looked = `${counted(runs, 'session')} (${pruned} pruned), ${counted(frames, 'frame')}, ${counted(blobs, 'blob')} and ${counted(checkpoints, 'checkpoint')} held to their hashes`;
  if (damaged.length === 0) return `${paint('good', '✓')} ${looked}: all as they were written`;
  const lines = damaged.map(
    ({ run_id, what, place, message }) => `${paint('bad', '✗')} ${run_id}  ${what} ${place}: ${message}`,
  );
  return [...lines, paint('quiet', looked)].join('\n');
}
