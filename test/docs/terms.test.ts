/** Proves that a reader who knows the source texts finds their terms, and that the map names things that exist. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from './markdown.ts';

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const glossary = read('docs/reference/glossary.md');
const map = read('docs/reference/source-texts.md');

test.each([
  'Agent Loop',
  'Agent Run Trace',
  'Agentic Orchestration',
  'Autonomy Boundary',
  'BackgroundSession',
  'CompiledContext',
  'Conversation Manager',
  'Critic rubric',
  'Decision Catalog',
  'Decision Right',
  'Decision Spec',
  'DecisionRecord',
  'Executor',
  'ExecutionPlan',
  'Loop Budget',
  'Least-Autonomy Decision Ladder',
  'Observation Grounding Ladder',
  'Orchestrator',
  'PlannedStep',
  'Planner',
  'Progressive Interval Estimation',
  'Run Context',
  'RunBudget',
  'Terminal Node',
  'Tool Budget',
  'Tool Gateway',
  'Tool Manager',
  'ToolCall',
  'ToolResult',
  'Workflow Graph',
  'guardrails',
  'invokeAgent',
  'planner-executor',
  'react_messages',
  'subagent lane',
  'validate_single_step',
])('the glossary has a row for %s', (term) => {
  const terms = glossary.split('\n').map((row) => row.split('|')[1] ?? '');
  expect(terms.filter((cell) => cell.includes(term))).toHaveLength(1);
});

test('the map of the source texts names folders that exist', () => {
  const folders = Array.from(
    map.matchAll(/`(?<path>(?:src\/[a-z/]+|policies))` \|$/gm),
    ({ groups }) => groups?.['path'] ?? '',
  );
  expect(folders.length).toBeGreaterThan(30);
  expect(folders.filter((folder) => !existsSync(join(ROOT, folder)))).toEqual([]);
});

test('the map of the source texts names identifiers that the source has', () => {
  const source = globSync('src/**/*.ts', { cwd: ROOT }).map(read).join('\n');
  const names = map
    .split('\n')
    .map((row) => row.split('|')[3] ?? '')
    .flatMap((cell) => Array.from(cell.matchAll(/`(?<name>[A-Za-z_]{3,})`/g), ({ groups }) => groups?.['name'] ?? ''));
  expect(names.length).toBeGreaterThan(30);
  expect(names.filter((name) => !new RegExp(`\\b${name}\\b`).test(source))).toEqual([]);
});

/** The sections that requirements cite, such as `Replay` of `orchestration §Replay`, in lower case. */
function citedSections(): readonly string[] {
  const cited = read('test/requirements.jsonl')
    .trim()
    .split('\n')
    .flatMap((line) => Array.from(line.matchAll(/§(?<section>[^;"]+)/g), ({ groups }) => groups?.['section'] ?? ''))
    .map((section) => section.replace(/ (\(|—).*$/, '').replace(/( \d+| intro| budget adherence)$/, ''));
  return [...new Set(cited.map((section) => section.trim().toLowerCase()))];
}

test('the map of the source texts names every section that a requirement cites', () => {
  const sections = citedSections();
  expect(sections.length).toBeGreaterThan(60);
  expect(sections.filter((section) => !map.toLowerCase().includes(section))).toEqual([]);
});
