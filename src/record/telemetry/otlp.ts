/** Spans in OTLP/JSON, as a collector accepts them at `/v1/traces`. */
export interface OtlpTraces {
  readonly resourceSpans: readonly [
    {
      readonly resource: { readonly attributes: readonly OtlpAttribute[] };
      readonly scopeSpans: readonly [
        { readonly scope: { readonly name: string }; readonly spans: readonly OtlpSpan[] },
      ];
    },
  ];
}

export interface OtlpSpan {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** 16 hexadecimal digits. */
  readonly spanId: string;
  /** Absent for the root span. */
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: typeof INTERNAL;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly OtlpAttribute[];
  readonly status: { readonly code: typeof OK | typeof ERROR; readonly message?: string };
}

export interface OtlpAttribute {
  readonly key: string;
  readonly value: { readonly stringValue: string } | { readonly intValue: string } | { readonly doubleValue: number };
}

/** Numbers defined by the protocol. */
export const INTERNAL = 1;
export const OK = 1;
export const ERROR = 2;

export const attributesOf = (values: Readonly<Record<string, string | number>>): readonly OtlpAttribute[] =>
  Object.entries(values).map(([key, value]) => ({ key, value: otlpValue(value) }));

function otlpValue(value: string | number): OtlpAttribute['value'] {
  if (typeof value === 'string') return { stringValue: value };
  return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}

/** Nanoseconds as text, because they exceed the safe integers. */
export const nanosOf = (atMs: number): string => String(BigInt(atMs) * 1_000_000n);

export const tracesOf = (spans: readonly OtlpSpan[]): OtlpTraces => ({
  resourceSpans: [
    {
      resource: { attributes: attributesOf({ 'service.name': 'ambit' }) },
      scopeSpans: [{ scope: { name: 'ambit' }, spans }],
    },
  ],
});
