/** The part of d3-shape that charts use. */
declare module 'd3-shape' {
  export interface Slice<T> {
    readonly data: T;
    readonly startAngle: number;
    readonly endAngle: number;
  }

  interface Arc {
    (slice: { readonly startAngle: number; readonly endAngle: number }): string | null;
    innerRadius(radius: number): Arc;
    outerRadius(radius: number): Arc;
    padAngle(angle: number): Arc;
  }

  interface Pie<T> {
    (data: readonly T[]): Slice<T>[];
    sort(order: null): Pie<T>;
    value(read: (item: T) => number): Pie<T>;
  }

  export function arc(): Arc;
  export function pie<T>(): Pie<T>;
}
