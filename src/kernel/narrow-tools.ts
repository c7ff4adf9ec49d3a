import type { ToolTable } from './verify/tool-table.ts';

/** The same tools, as far as this run's token reaches. Never more than the table had. */
export function narrowTools(tools: ToolTable, granted: readonly string[]): ToolTable {
  const allowed = new Set(granted);
  const available = tools.available.filter((name) => allowed.has(name));
  return {
    ...tools,
    available,
    availableText: available.join(', ') || 'none',
    isAllowed: (name) => tools.isAllowed(name) && allowed.has(name),
  };
}
