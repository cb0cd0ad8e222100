export const Page = ({
  title,
  head,
  children,
}: {
  title: React.ReactNode;
  head?: React.ReactNode;
  children: React.ReactNode;
}) => (
  <div className="page">
    <div className="page-head">
      <h1>{title}</h1>
      {head}
    </div>
    {children}
  </div>
);
