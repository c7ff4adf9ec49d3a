import type { Sealing } from '../gateway/dispatch/sealing.ts';
import { toolTable } from '../kernel/index.ts';
import { Fault } from '../model/fault/fault.ts';
import type { AgentSpec } from '../model/run/agent.ts';
import type { ToolSpec } from '../model/tool/tool.ts';
import type { BoundTool } from '../ports/bound-tool.ts';
import type { Vault } from '../ports/store/vault.ts';
import type { Machine } from './machine.ts';

/** Gives tools of this agent access to sealed values. Returns undefined without a vault. */
export function sealingFor(
  tools: readonly BoundTool[],
  vault: Vault | undefined,
  schemas: Machine['schemas'],
): Sealing | undefined {
  if (vault === undefined) return undefined;
  // Arguments are checked after all handles are opened, so the schemas must not expect handles.
  const opened = tools.map(({ spec }) => {
    const { privacy: _, ...plain } = spec;
    return plain;
  });
  const table = toolTable(opened, new Set(), schemas());
  return { vault, problems: (tool, args) => table.checkArguments(tool, args) };
}

/** Requires a vault if any value is declared secret or personal, so that no such value is stored in plain text. */
export function vaultFaults(
  { name, sealed_inputs = [] }: AgentSpec,
  tools: readonly ToolSpec[],
  vault: Vault | undefined,
): readonly Fault[] {
  if (vault !== undefined) return [];
  const declared = tools.filter(({ privacy }) => privacy !== undefined).map((tool) => tool.name);
  const who = sealed_inputs.length > 0 ? [`${name} (sealedInputs)`, ...declared] : declared;
  if (who.length === 0) return [];
  const message = `${who.join(', ')}: secret or personal values need a vault: set world.vault, such as vaults.inFile('vault.db')`;
  return [new Fault('input_missing', message, { path: '/world/vault' })];
}
