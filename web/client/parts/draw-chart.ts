// Only the parts of echarts that we use, loaded with the first chart.
import { BarChart, CustomChart, LineChart, ScatterChart } from 'echarts/charts';
import { GridComponent, MarkLineComponent, TooltipComponent } from 'echarts/components';
import { init, use as register } from 'echarts/core';
import { LabelLayout } from 'echarts/features';
import { SVGRenderer } from 'echarts/renderers';
import type { EChartsOption } from 'echarts';
import { TEXT } from './chart.js';

register([
  BarChart,
  CustomChart,
  LineChart,
  ScatterChart,
  GridComponent,
  MarkLineComponent,
  TooltipComponent,
  LabelLayout,
  SVGRenderer,
]);

export interface Drawn {
  show: (option: EChartsOption, size: { width: number; height: number }) => void;
  dispose: () => void;
}

export function drawChart(element: HTMLElement, onClick: (name: string) => void): Drawn {
  const chart = init(element, null, { renderer: 'svg', width: 300, height: 200 });
  chart.on('click', ({ name, data }) => {
    const own = (data as { name?: unknown } | null)?.name;
    onClick(typeof own === 'string' ? own : name);
  });
  return {
    show(option, size) {
      chart.resize(size);
      chart.setOption(
        { animation: false, backgroundColor: 'transparent', textStyle: TEXT, ...option },
        { notMerge: true },
      );
    },
    dispose: () => chart.dispose(),
  };
}
