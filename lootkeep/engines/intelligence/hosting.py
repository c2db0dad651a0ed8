"""Networks of hosting companies: nobody lives there, so an order from there comes through a machine."""

from __future__ import annotations

from datetime import UTC, datetime

from lootkeep.kernel.clock import instant

# When the list below was last checked, against the registries' names of these networks.
DATED = instant(datetime(2026, 11, 15, tzinfo=UTC))

# Companies that also connect homes are left out: all their customers would look like machines.
_COMPANIES = """
Amazon: 14618 16509 | Google Cloud: 396982 | Microsoft: 8075 | Oracle Cloud: 31898 | IBM Cloud: 36351
Alibaba Cloud: 37963 45102 | Tencent Cloud: 45090 132203 | Huawei Cloud: 55990 136907 | UCloud: 135377
Yandex Cloud: 200350 | Hetzner: 24940 212317 213230 | OVH: 16276 | DigitalOcean: 14061 | Linode: 63949
Vultr: 20473 | Scaleway: 12876 | Contabo: 40021 51167 141995
Leaseweb: 7203 19148 28753 30633 59253 60781 205544 395954 396362 | M247: 9009 | Datacamp: 60068 212238
IONOS: 8560 | Strato: 6724 | Hostinger: 47583 | netcup: 197540 | Aruba: 31034 | Clouvider: 62240 | Psychz: 40676
ColoCrossing: 36352 | FranTech: 53667 | NForce: 43350 | WorldStream: 49981 | G-Core: 199524 202422
UpCloud: 25697 202053 | Kamatera: 36007 41436 | HostHatch: 63473 | Zenlayer: 21859 | Servers.com: 7979
Rackspace: 19994 27357 33070 | Hivelocity: 29802 61317 | DreamHost: 26347 | Host Europe: 8972 20773
GoDaddy: 26496 398101 | Namecheap: 22612 | Liquid Web: 32244 | A2 Hosting: 55293 | Interserver: 19318
Unified Layer: 46606 | Aeza: 210644 216246 | Selectel: 49505 50340 | Timeweb: 9123 | REG.RU: 197695
Performive: 46562 | Packet: 54825 | Sharktech: 46844 | IT7: 25820 | Nocix: 33387 | ServerMania: 55286
VolumeDrive: 46664 | Secured Servers: 20454 | Eonix: 62904 | HostRoyale: 203020 207990 | Pfcloud: 51396
Serverius: 50673 | Scalaxy: 58061 | 31173 Services: 39351 | FlokiNET: 200651 | RackRay: 62282
UK Dedicated Servers: 42831 | HZ Hosting: 59711 | Amarutu: 206264 | myLoc: 24961
"""
HOSTING_NETWORKS = frozenset(
    int(number)
    for line in _COMPANIES.split("\n")
    for company in line.split(" | ")
    for number in company.partition(": ")[2].split()
)
