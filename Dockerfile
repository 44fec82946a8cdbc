# One image for all of the cluster: services, agents, traffic, and the one-shot preparation.
# What is built stays in the first stage; the second has a virtual environment and the cluster's
# own code, and runs as a user who may write nowhere but into its volumes.

FROM python:3.11-slim AS build
# Without pip within: nothing is installed later.
RUN python -m venv --without-pip /opt/choreomon
WORKDIR /build
# First what changes seldom: with an empty package the dependencies come into a layer of their own.
COPY constraints.txt pyproject.toml setup.py ./
RUN mkdir choreomon scenarios && touch choreomon/__init__.py scenarios/__init__.py README.md \
 && python -m pip --python /opt/choreomon/bin/python install --no-cache-dir \
      --disable-pip-version-check -c constraints.txt .
COPY README.md LICENSE ./
COPY choreomon choreomon
COPY simulator simulator
COPY scenarios scenarios
# Compiled here, once: the file systems of running containers are read-only.
RUN python -m pip --python /opt/choreomon/bin/python install --no-cache-dir \
      --disable-pip-version-check --no-deps --force-reinstall .
COPY cluster /opt/saga/cluster
RUN /opt/choreomon/bin/python -m compileall -q /opt/saga/cluster

FROM python:3.11-slim
LABEL org.opencontainers.image.title="choreomon-saga"
# Volumes that are new get owner and mode of the folder that they are mounted on.
RUN useradd --uid 10001 --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin saga \
 && for folder in /etc/choreomon /var/lib/choreomon /run/choreomon \
      /prepared/customer /prepared/orders /prepared/payment /prepared/stock /prepared/shipping; \
    do mkdir -p "$folder" && chown saga:saga "$folder" && chmod 0700 "$folder"; done
COPY --from=build /opt/choreomon /opt/choreomon
COPY --from=build /opt/saga /opt/saga
ENV PATH=/opt/choreomon/bin:/usr/local/bin:/usr/bin:/bin \
    PYTHONPATH=/opt/saga \
    PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1
WORKDIR /opt/saga
USER 10001:10001
CMD ["choreomon", "--help"]
