import type { ToolSpec } from '../model/tool.ts';
import type { KernelEnv } from './env.ts';
import type { CurrentStep } from './state.ts';

/**
 * The next tool that was declared to answer the same question as the planned one. Only one that reads, that the run may
 * use and that takes the very arguments: a stand-in changes nothing else.
 */
export function nextEquivalent(env: KernelEnv, planned: ToolSpec, current: CurrentStep): string | null {
  const declared = [planned.name, ...(planned.equivalents ?? [])];
  const from = current.cached === true ? 1 : declared.indexOf(current.tool) + 1;
  return declared.slice(from).find((tool) => standsIn(env, tool, current)) ?? null;
}

function standsIn({ tools }: KernelEnv, tool: string, { args }: CurrentStep): boolean {
  const spec = tools.get(tool);
  const reads = spec?.active === true && onlyReads(spec);
  return reads && tools.isAllowed(tool) && tools.checkArguments(tool, args).length === 0;
}

export const onlyReads = ({ side_effect, approval_mode }: ToolSpec): boolean =>
  !side_effect && approval_mode === 'read_only';
