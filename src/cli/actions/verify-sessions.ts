import { resolve } from 'node:path';
import { Fault } from '../../index.ts';
import type { VerifyReport } from '../../records.ts';
import { type Anchors, storeTools } from '../../store.ts';
import { CliFault } from '../cli-fault.ts';
import { type Action, argument, type Call, getExitCode, readTextFlag } from '../command.ts';
import { readJsonFile, statusOf } from '../files.ts';
import { withRuntime } from '../shared/with-runtime.ts';
import type { Paint } from '../terminal/terminal.ts';
import { formatCount } from '../views/format.ts';
import { hasForgedDecision, renderProofs } from '../views/render-proofs.ts';
import { findStoreFile } from './store.ts';

/** Verifies hashes. Damage is a result (exit 1), not an error. */
export const verifySessionsAction: Action = async (call) => {
  const anchors = readTextFlag(call.flags, 'anchors');
  return anchors === null ? await verifyChain(call) : await verifyAnchors(call, anchors);
};

/** Compares the store with anchors, which also detects a chain that was rewritten completely. */
async function verifyAnchors(call: Call, path: string): Promise<number> {
  const { terminal, flags } = call;
  const anchors = readJsonFile(resolve(path), '--anchors') as unknown as Anchors;
  const verdict = storeTools.verifyAnchors(
    await findStoreFile(call),
    anchors,
    readTextFlag(flags, 'signedBy') ?? undefined,
  );
  const permissionWhy = verdict.permissions.message;
  terminal.show(verdict, () =>
    [
      ...verdict.findings.map((finding) => {
        const tone = 'message' in finding ? 'bad' : 'good';
        const why = 'message' in finding ? `: ${finding.message}` : '';
        return `${terminal.paint(tone, tone === 'good' ? '✓' : '✗')} ${finding.session_id}  ${finding.verdict}${why}`;
      }),
      `permissions: ${verdict.permissions.verdict}${permissionWhy === undefined ? '' : `: ${permissionWhy}`}`,
      `signature: ${verdict.signature}`,
    ].join('\n'),
  );
  return getExitCode(verdict.ok ? 'done' : 'found');
}

const verifyChain: Action = (call) =>
  withRuntime(call, async ({ runtime, terminal }) => {
    const { args } = call;
    const report = await runtime.records.verify(args['session']).catch((error: unknown) => {
      throw explainBundleFile(error, argument(call, 'session'));
    });
    terminal.show(report, () => renderReport(report, terminal.paint));
    return getExitCode(report.damaged.length === 0 && !hasForgedDecision(report.proofs) ? 'done' : 'found');
  });

/** Adds a fix if the user passed the file of a bundle instead of a session id. */
function explainBundleFile(cause: unknown, typed: string): unknown {
  if (!Fault.is(cause) || cause.code !== 'session_not_found') return cause;
  if (statusOf(typed)?.isFile() !== true) return cause;
  const message = `${typed} is a file, not a session; importing a bundle verifies it`;
  return new CliFault(cause.code, message, { fix: `ambit sessions import ${typed}`, cause });
}

function renderReport(report: VerifyReport, paint: Paint): string {
  const { runs, pruned, frames, blobs, checkpoints, damaged, proofs } = report;
  const summary = `verified ${formatCount(runs, 'session')} (${pruned} pruned), ${formatCount(frames, 'frame')}, ${formatCount(blobs, 'blob')} and ${formatCount(checkpoints, 'checkpoint')}`;
  const proven = renderProofs(proofs, paint);
  if (damaged.length === 0) return [`${paint('good', '✓')} ${summary}: no damage`, ...proven].join('\n');
  const lines = damaged.map(
    ({ run_id, what, place, message }) => `${paint('bad', '✗')} ${run_id}  ${what} ${place}: ${message}`,
  );
  return [...lines, paint('quiet', summary), ...proven].join('\n');
}
