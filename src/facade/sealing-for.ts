import type { Sealing } from '../gateway/sealing.ts';
import { toolTable } from '../kernel/verify/tool-table.ts';
import type { AgentSpec } from '../model/agent.ts';
import { Fault } from '../model/fault.ts';
import type { ToolSpec } from '../model/tool.ts';
import type { BoundTool } from '../ports/bound-tool.ts';
import type { Vault } from '../ports/vault.ts';
import type { Machine } from './machine.ts';

/** How tools of this agent come by what is sealed; undefined where there is nowhere to seal anything. */
export function sealingFor(
  tools: readonly BoundTool[],
  vault: Vault | undefined,
  schemas: Machine['schemas'],
): Sealing | undefined {
  if (vault === undefined) return undefined;
  // Once everything is open, no handle stands anywhere, and the schema is held against what the tool really gets.
  const opened = tools.map(({ spec }) => {
    const { privacy: _, ...plain } = spec;
    return plain;
  });
  const table = toolTable(opened, new Set(), schemas());
  return { vault, problems: (tool, args) => table.checkArguments(tool, args) };
}

/** A value that was declared to be sealed is not written down in the clear for want of a place to seal it. */
export function unsealable(
  { name, sealed_inputs = [] }: AgentSpec,
  tools: readonly ToolSpec[],
  vault: Vault | undefined,
): readonly Fault[] {
  if (vault !== undefined) return [];
  const declared = tools.filter(({ privacy }) => privacy !== undefined).map((tool) => tool.name);
  const who = sealed_inputs.length > 0 ? [`${name} (sealedInputs)`, ...declared] : declared;
  if (who.length === 0) return [];
  const message = `${who.join(', ')}: secret or personal values need a vault: world.vault: vaults.inFile('vault.db')`;
  return [new Fault('input_missing', message, { path: '/world/vault' })];
}
