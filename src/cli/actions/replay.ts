import { resolve } from 'node:path';
import { STANDARD_GRAPHS } from '../../graph.ts';
import { type Ambit, Fault, type JsonObject } from '../../index.ts';
import type { WhatIf, WhatIfRules } from '../../records.ts';
import { type Action, argument, type Call, type Flags, getExitCode, readListFlag, readTextFlag } from '../command.ts';
import { readJsonFile } from '../files.ts';
import { loadAuthorizer } from '../shared/load-authorizer.ts';
import { withRuntime } from '../shared/with-runtime.ts';
import type { Paint } from '../terminal/terminal.ts';
import { formatCount } from '../views/format.ts';
import { renderProofs } from '../views/render-proofs.ts';
import { renderDecisions } from '../views/render-trace.ts';

/** Replays a session. A difference is a result (exit 1), not an error. */
export const replaySessionAction: Action = (call) =>
  withRuntime(call, async ({ runtime, terminal, flags }) => {
    const runId = argument(call, 'session');
    const changes = await readChanges(flags);
    if (changes !== null) return await showWhatIf(call, runtime, runId, changes);
    try {
      const { turns, proofs } = await runtime.records.replay(runId);
      terminal.show({ session: runId, same: true, frames: turns.length, difference: null, proofs }, () =>
        [
          `${terminal.paint('good', '✓')} ${runId}: replayed ${formatCount(turns.length, 'frame')} to the same bytes; called no tool, no model and no person`,
          ...renderProofs(proofs, terminal.paint),
        ].join('\n'),
      );
      return getExitCode('done');
    } catch (error) {
      if (!Fault.is(error) || error.code !== 'replay_divergence') throw error;
      const difference = { message: error.message, path: error.path ?? null };
      terminal.show(
        { session: runId, same: false, frames: null, difference },
        () => `${terminal.paint('bad', '✗')} ${runId} differs: ${error.message}`,
      );
      return getExitCode('found');
    }
  });

/** Reads the changed rules from the options. Returns null for a plain replay. */
async function readChanges(flags: Flags): Promise<WhatIfRules | null> {
  const policies = readListFlag(flags, 'policies');
  const [rubric, graph, limits] = [
    readTextFlag(flags, 'rubric'),
    readTextFlag(flags, 'graph'),
    readTextFlag(flags, 'limits'),
  ];
  const changes = {
    ...(policies.length === 0 ? {} : { policy: (await loadAuthorizer(policies)).authorizer }),
    ...(rubric === null ? {} : { rubric: readJsonFile(resolve(rubric), '--rubric') }),
    ...(graph === null ? {} : { graph: readGraph(graph) }),
    ...(limits === null ? {} : { limits: readJsonFile(resolve(limits), '--limits') }),
  };
  // The runtime validates the content of the files.
  return Object.keys(changes).length === 0 ? null : (changes as unknown as WhatIfRules);
}

function readGraph(graph: string): string | JsonObject {
  if (Object.hasOwn(STANDARD_GRAPHS, graph)) return graph;
  if (graph.endsWith('.json')) return readJsonFile(resolve(graph), '--graph');
  const known = Object.keys(STANDARD_GRAPHS).join(', ');
  throw new Fault('input_invalid', `unknown graph ${graph}: use one of ${known}, or a .json file`);
}

/** Replays under changed rules. The result is unknown from the first request that was never made. */
async function showWhatIf(call: Call, runtime: Ambit, runId: string, changes: WhatIfRules): Promise<number> {
  const { terminal } = call;
  const found = await runtime.records.whatIf(runId, changes);
  terminal.show({ session: runId, ...found }, () => renderWhatIf(runId, found, terminal.paint));
  return getExitCode(isSame(found) ? 'done' : 'found');
}

const isSame = ({ decisions, recorded, derived, unknownFrom }: WhatIf): boolean =>
  decisions.length === 0 && recorded === derived && unknownFrom === null;

function renderWhatIf(runId: string, found: WhatIf, paint: Paint): string {
  if (isSame(found)) return `${paint('good', '✓')} ${runId}: every decision stays the same`;
  const { decisions, recorded, derived, unknownFrom } = found;
  const describeEnd = (code: string | null): string => code ?? 'not ended';
  return [
    `${paint('bad', '✗')} ${runId}: ${formatCount(decisions.length, 'decision')} would change`,
    ...renderDecisions(decisions, paint),
    `${paint('strong', 'ending')} ${describeEnd(recorded)} ${paint('strong', '→')} ${describeEnd(derived)}`,
    ...(unknownFrom === null ? [] : [`The result is unknown from frame ${unknownFrom.frame} on: ${unknownFrom.why}`]),
  ].join('\n');
}
