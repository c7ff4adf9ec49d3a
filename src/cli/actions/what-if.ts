import { resolve } from 'node:path';
import { type Ambit, Fault, type JsonObject, type Otherwise, STANDARD_GRAPHS, type WhatIf } from '../../index.ts';
import { type Call, type Flags, listOf, textOf } from '../command.ts';
import { exitOf } from '../exit-codes.ts';
import { jsonFile } from '../json-file.ts';
import type { Paint } from '../terminal/terminal.ts';
import { counted } from '../views/counted.ts';
import { decisionLines } from '../views/decision-lines.ts';
import { authorizerOf } from './policy.ts';

/** What a run is to be looked at under instead; null where nothing is named, and it is only derived again. */
export async function otherwiseOf(flags: Flags): Promise<Otherwise | null> {
  const policies = listOf(flags, 'policies');
  const [rubric, graph, limits] = [textOf(flags, 'rubric'), textOf(flags, 'graph'), textOf(flags, 'limits')];
  const otherwise = {
    ...(policies.length === 0 ? {} : { policy: (await authorizerOf(policies)).authorizer }),
    ...(rubric === null ? {} : { rubric: jsonFile(resolve(rubric), '--rubric') }),
    ...(graph === null ? {} : { graph: graphNamed(graph) }),
    ...(limits === null ? {} : { limits: jsonFile(resolve(limits), '--limits') }),
  };
  // What stands in a file is held to its schema where it is used.
  return Object.keys(otherwise).length === 0 ? null : (otherwise as unknown as Otherwise);
}

function graphNamed(given: string): string | JsonObject {
  if (Object.hasOwn(STANDARD_GRAPHS, given)) return given;
  if (given.endsWith('.json')) return jsonFile(resolve(given), '--graph');
  const known = Object.keys(STANDARD_GRAPHS).join(', ');
  throw new Fault('input_invalid', `--graph ${given}: name one of ${known}, or a .json file with a graph in it`);
}

/** Nothing is called: what would have been decided otherwise, and from where on nobody knows. */
export async function showWhatIf(call: Call, runtime: Ambit, runId: string, otherwise: Otherwise): Promise<number> {
  const { terminal } = call;
  const found = await runtime.whatIf(runId, otherwise);
  terminal.show({ session: runId, ...found }, () => whatIfView(runId, found, terminal.paint));
  return exitOf(isSame(found) ? 'done' : 'found');
}

const isSame = ({ decisions, recorded, derived, unknownFrom }: WhatIf): boolean =>
  decisions.length === 0 && recorded === derived && unknownFrom === null;

function whatIfView(runId: string, found: WhatIf, paint: Paint): string {
  if (isSame(found)) return `${paint('good', '✓')} ${runId}: nothing would have been decided otherwise`;
  const { decisions, recorded, derived, unknownFrom } = found;
  const ending = (code: string | null): string => code ?? 'not ended';
  return [
    `${paint('bad', '✗')} ${runId}: ${counted(decisions.length, 'decision')} would have been ${decisions.length === 1 ? 'another' : 'others'}`,
    ...decisionLines(decisions, paint),
    `${paint('strong', 'ends')} ${ending(recorded)} ${paint('strong', '→')} ${ending(derived)}`,
    ...(unknownFrom === null ? [] : [`From frame ${unknownFrom.frame} on nobody knows: ${unknownFrom.why}`]),
  ].join('\n');
}
