/**
 * `ambit/ai-sdk`: tools written for the AI SDK, for Ambit's agents.
 * @module
 */
export type { ToolLabel } from '../../model/tool/imported-tool.ts';
export type { BoundTool, ToolContext } from '../../ports/bound-tool.ts';
export { fromAISDK, type ToolContexts, type ToolLabels } from './from-ai-sdk.ts';
